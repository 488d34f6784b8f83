"""No module with a saveable class imports this one."""


class Heap(list[int]):
    pass
