"""Speed beside other libraries: one file for each of them, our own, the measurement and the page it fills."""
