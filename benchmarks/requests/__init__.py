"""How well is a request taken apart into the four slots of a frame, without a model?"""
