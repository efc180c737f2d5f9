constexpr int FACTOR = 10;
