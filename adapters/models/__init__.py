"""Chat models and embedders behind the ports, whoever made them."""
