constexpr int VALUE = 41;
