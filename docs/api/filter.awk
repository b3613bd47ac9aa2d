# The comments of a header as Doxygen reads them: a comment before a declaration describes it, one
# behind a declaration the member before it, the first one the file.
BEGIN { fresh = 1 }
fresh && /^\/\/ / { print "/// @file"; sub(/^\/\/ /, "/// ") ; print; fresh = 0; head = 1; next }
fresh && /^\/\* / { sub(/^\/\* /, "/** @file\n * "); print; fresh = 0; block = 1; next }
head && /^\/\// { sub(/^\/\//, "///"); print; next }
head && !/^\/\// { head = 0 }
/^ *\/\* ---/ { next }
/^ *\/\// { sub(/\/\//, "///"); print; next }
/^ *[^ \/].* \/\/ / { sub(/ \/\/ /, " ///< "); print; next }
/^ *\/\* / { sub(/\/\* /, "/** "); print; next }
/^ *[^ \/*].* \/\* / { sub(/\/\* /, "/**< "); print; next }
{ print }
