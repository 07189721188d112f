"""The workspace: its packages, its environments, its builds and the checks that all packages are alike."""
