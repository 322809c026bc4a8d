// This module is empty without its trait.
