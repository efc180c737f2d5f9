/* SPDX-License-Identifier: Apache-2.0 */
/* ascend_string.h - ge::AscendString: a string between libraries. types.h says why the guard. */
#ifndef INC_EXTERNAL_GRAPH_ASCEND_STRING_H_
#define INC_EXTERNAL_GRAPH_ASCEND_STRING_H_
#include <functional>
#include <string>

namespace ge {

class AscendString {
public:
    AscendString() = default;
    AscendString(const char *text) : text_(text ? text : "") {}
    AscendString(const char *text, size_t n) : text_(text ? std::string(text, n) : "") {}
    const char *GetString() const { return text_.c_str(); }
    size_t GetLength() const { return text_.size(); }
    size_t Find(const AscendString &part) const { return text_.find(part.text_); }
    size_t Hash() const { return std::hash<std::string>()(text_); }
    bool operator<(const AscendString &o) const { return text_ < o.text_; }
    bool operator>(const AscendString &o) const { return text_ > o.text_; }
    bool operator<=(const AscendString &o) const { return text_ <= o.text_; }
    bool operator>=(const AscendString &o) const { return text_ >= o.text_; }
    bool operator==(const AscendString &o) const { return text_ == o.text_; }
    bool operator!=(const AscendString &o) const { return text_ != o.text_; }
    bool operator==(const char *o) const { return o && text_ == o; }
    bool operator!=(const char *o) const { return !(*this == o); }

private:
    std::string text_;
};

} // namespace ge
template <> struct std::hash<ge::AscendString> {
    size_t operator()(const ge::AscendString &s) const { return s.Hash(); }
};
#endif
