"""Shell completion: what there is to complete (`model`), the scripts (`bash`, `zsh`, `fish`), and the command that prints them."""
