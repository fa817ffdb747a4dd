"""Pictures of recordings. Nothing here changes Matplotlib's global state."""
