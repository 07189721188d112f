"""The operations of a program as rows, printed, compared and saved; numbers in tables; Storages that overlap."""
