"""What is connected to what?

Who defines a name, who uses it and how sure that is, what a change would touch; and the edges between files, followed
both ways and to a depth, and drawn. Pure: the store is handed in.
"""
