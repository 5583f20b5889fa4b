"""How long does an agent wait for its hooks?"""
