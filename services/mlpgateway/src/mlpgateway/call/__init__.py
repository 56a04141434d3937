"""What one call is: the request of a caller, what the model asks of it, its deadline, its headers and its answer.

Here stand the ports too, by which a call meets its instances and its handler.
"""
