"""Whether Japanese carries over: questions and commits of projects that nothing was mined from or fitted to."""
