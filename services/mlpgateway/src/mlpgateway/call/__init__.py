"""One call: the caller's request, the plan of its model, its deadline, its headers and its answer.

The ports through which a call reaches its instances and its handler are here, too.
"""
