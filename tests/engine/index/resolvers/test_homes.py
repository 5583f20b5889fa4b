from shirube.engine.index.resolvers.toolkit import FileTable, from_homes


def test_the_nearest_home_wins():
    table = FileTable.build(["include/x.h", "a/include/x.h", "other/include/x.h"])
    assert from_homes("a/b", ("include",), ("x.h",), table) == "a/include/x.h"
    assert from_homes("c", ("include",), ("x.h",), table) == "include/x.h"


def test_an_earlier_folder_then_an_earlier_tail_wins():
    table = FileTable.build(["lib/x.rb", "app/x.rb", "lib/x"])
    assert from_homes("z", ("app", "lib"), ("x", "x.rb"), table) == "app/x.rb"
    assert from_homes("z", ("lib",), ("x", "x.rb"), table) == "lib/x"


def test_common_names_are_looked_up_from_the_homes_instead():
    table = FileTable.build([f"m{i}/lib/x.rb" for i in range(20)] + ["lib/x.rb"])
    assert from_homes("q", ("lib",), ("x.rb",), table) == "lib/x.rb"


def test_a_file_in_no_home_is_not_found():
    assert from_homes("a", ("lib",), ("x.rb",), FileTable.build(["b/lib/x.rb"])) is None
