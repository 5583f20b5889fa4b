"""What is connected to what?

Who defines a name, who uses it and how sure that is, what a change would touch; and the edges between files, followed
both ways and to a depth. Pure: the store is handed in, files are read from the index.
"""
