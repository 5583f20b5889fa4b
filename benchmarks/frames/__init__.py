"""Is a fair paraphrase of a request's words told from an unfair one?"""
