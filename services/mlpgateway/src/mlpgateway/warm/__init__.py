"""The warm path: predict calls that need not wait are served without a task, from decisions that hold for many calls.

It has no rules of its own. The stages say what holds until an event, and what they check for each call at once; a call
for which one of them would have to wait goes the ordinary way, through the app and the pipeline's `unary`.
"""
