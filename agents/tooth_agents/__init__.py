"""Agents: whoever chooses actions. They see views, observations and masks, never states."""
