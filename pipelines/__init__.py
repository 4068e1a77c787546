"""The stages of the line of data: each composes, validates, calls one room, writes and logs. No logic lives here."""
