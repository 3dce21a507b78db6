"""The engine between machines: NVFlare, mutual TLS, no code that travels."""
