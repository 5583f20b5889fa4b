import shirube.operations
from shirube.operations import facade, run, table


def test_the_room_offers_table_run_and_library():
    assert shirube.operations.OPERATIONS is table.OPERATIONS
    assert shirube.operations.operation_named is table.operation_named
    assert shirube.open_workspace is facade.open_workspace
    assert callable(run)


def test_every_name_the_room_offers_exists():
    assert all(hasattr(shirube.operations, name) for name in shirube.operations.__all__)
