/** Python in gdb that finds what an iterator of C++'s standard library (libstdc++) leads to, for container-script.ts. */
export const iteratorScript = `
import gdb, re
class _mpidbg_iterators:
    # Those that keep a node, which begins with links; the element follows.
    nodes = {'_Rb_tree_iterator': '_M_node', '_Rb_tree_const_iterator': '_M_node', '_List_iterator': '_M_node', '_List_const_iterator': '_M_node', '_Fwd_list_iterator': '_M_node', '_Fwd_list_const_iterator': '_M_node', '_Node_iterator': '_M_cur', '_Node_const_iterator': '_M_cur', '_Local_iterator': '_M_cur', '_Local_const_iterator': '_M_cur'}
    @staticmethod
    def kind(value):
        name = value.type.strip_typedefs().unqualified().name or ''
        found = re.match(r'(?:std|__gnu_cxx)::(?:__\\w+::)?(\\w+)<', name)
        kind = found.group(1) if found else ''
        return kind if kind in _mpidbg_iterators.nodes or kind in ('__normal_iterator', '_Deque_iterator', 'reverse_iterator') else None
    @staticmethod
    def element(type):
        # None: not an iterator of a known kind.
        type = type.strip_typedefs()
        if type.code == gdb.TYPE_CODE_PTR:
            return type.target()
        kind = _mpidbg_iterators.kind(gdb.Value(0).cast(type.pointer()).dereference())
        if kind in _mpidbg_iterators.nodes:
            return type.template_argument(0)
        if kind == '_Deque_iterator':
            return type.template_argument(2).strip_typedefs().target()
        return None if kind is None else _mpidbg_iterators.element(type.template_argument(0))
    @staticmethod
    def target(value):
        kind = _mpidbg_iterators.kind(value)
        if kind == '__normal_iterator':
            return _mpidbg_iterators.there(value['_M_current'])
        if kind == '_Deque_iterator':
            return _mpidbg_iterators.there(value['_M_cur'])
        if kind == 'reverse_iterator':
            return _mpidbg_iterators.before(value['current'])
        node = value[_mpidbg_iterators.nodes[kind]]
        if int(node) == 0:
            raise gdb.GdbError('it is at the end, or leads nowhere')
        if kind.startswith('_Rb_tree') and _mpidbg_iterators.is_end(node):
            raise gdb.GdbError('it is at the end: it leads to no element')
        return _mpidbg_iterators.in_node(node, kind, _mpidbg_iterators.element(value.type))
    @staticmethod
    def in_node(node, kind, element):
        # The links are pointers; a tree's begin with a colour.
        word, alignment = node.type.sizeof, element.alignof
        links = 4 * word if kind.startswith('_Rb_tree') else 2 * word if kind.startswith('_List') else word
        return gdb.Value(int(node) + (links + alignment - 1) // alignment * alignment).cast(element.pointer()).dereference()
    @staticmethod
    def there(pointer):
        if int(pointer) == 0:
            raise gdb.GdbError('it leads nowhere')
        return pointer.dereference()
    @staticmethod
    def is_end(node):
        # The head of a tree is red, and what is above it is the root, which is black and has the head above it.
        head, root = node.dereference(), node['_M_parent']
        return int(head['_M_color']) == 0 and (int(root) == 0 or int(root['_M_parent']) == int(node))
    @staticmethod
    def before(current):
        if current.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
            return (current - 1).dereference()
        kind = _mpidbg_iterators.kind(current)
        if kind == '__normal_iterator':
            return (current['_M_current'] - 1).dereference()
        if kind == '_Deque_iterator' and int(current['_M_cur']) != int(current['_M_first']):
            return (current['_M_cur'] - 1).dereference()
        if kind is not None and kind.startswith('_List'):
            return _mpidbg_iterators.in_node(current['_M_node']['_M_prev'], kind, _mpidbg_iterators.element(current.type))
        raise gdb.GdbError('where it leads is not known: ask for an element of its container')
`;
