"""Where does a call come in? Terminal, protocol, browser, installer, and the hook that guards writes."""
