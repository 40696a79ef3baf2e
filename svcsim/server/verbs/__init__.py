"""What each verb does with a request, one file a verb; the options, answers and watch streams they share."""
