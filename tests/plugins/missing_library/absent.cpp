// A library that is there when the plugin is linked, and is not found when it is loaded.
__attribute__((visibility("default"))) int answerOfTheAbsent() { return 42; }
