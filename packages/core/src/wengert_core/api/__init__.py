"""Methods, printing, pickling, storages and namespaces: the public interface beside ops."""
