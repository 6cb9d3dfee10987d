"""The compiled core. It knows no game: records, chance, piles, events, dispatch and loops."""
