"""What the four specialists share: the records of the city, the look-ups over them and the filing of a request."""
