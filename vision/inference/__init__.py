"""Networks: found, checked and run by whichever engine there is."""
