# Recording is reached by cimport and through core's Hooks, see record.pxd.
