"""What have we agreed?

The map: links between the words people use and the symbols they mean, and conventions of the project. One Markdown
file each is the truth; this room reads and writes their form, finds the ones a question is about, tells whether the
code they rest on still stands, and brings maps of different branches, tools and projects together. Only ``files``
touches the disk.
"""
