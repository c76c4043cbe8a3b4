"""The program: its modules, which function a call means, which functions override which."""
