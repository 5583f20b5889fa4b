"""How quickly the page in the browser comes, and its answers while one types."""
