# nothing is public: cimported by products
