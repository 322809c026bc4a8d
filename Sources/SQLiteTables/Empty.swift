// Empty without the trait.
