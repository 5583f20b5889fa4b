"""Does the guard help? Simulated agents make changes that were really made, and the gate judges what they write."""
