"""What calls cost, and the reservations of mlpbilling that they draw from."""
