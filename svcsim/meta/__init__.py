"""What every object shares: metadata, names, selectors, quantities, times, patches, errors."""
