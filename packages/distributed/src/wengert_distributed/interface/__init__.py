"""What backends implement, and what a collective under way is: process groups, works, futures."""
