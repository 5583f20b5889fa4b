"""Which file does this import mean? One module per family of languages, each a pure function.

Every resolver takes the importing path, one raw import and the file table, and answers with targets: files
that exist, packages from elsewhere, or an honest "unresolved".
"""
