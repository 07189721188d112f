# Nothing for Python: conversion between dtypes is reached by cimport, see casts.pxd.
