// Without a trait this module is empty.
