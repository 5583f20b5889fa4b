"""How the bundled model is made: data, vocabulary, training, evaluation and export. Not part of the package."""
