# Nothing for Python: recording is reached by cimport and through core's EngineHooks, see record.pxd.
