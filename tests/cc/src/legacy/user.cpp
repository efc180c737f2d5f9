int run(void);
int main() { return run(); }
