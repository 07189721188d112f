# Package marker for cimport.
