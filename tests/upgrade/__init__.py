"""What an earlier release left on disk is still understood by this one."""
