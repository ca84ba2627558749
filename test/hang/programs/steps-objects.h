/* Steps that make communicators, windows and files, and use the latter two. The window is of all ranks; so is the file. */
static MPI_Win win;
static MPI_File file;
static MPI_Comm made;
static char file_name[256];

static void prepare_objects(void)
{
    for (int i = 0; i < 64; i++) counts[i] = 1, places[i] = i, types[i] = MPI_INT;
    MPI_Win_create(four, sizeof four, 4, MPI_INFO_NULL, WORLD, &win);
    snprintf(file_name, sizeof file_name, "/tmp/mpidbg-steps-%d", (int)getppid());
}

/* A group of the ranks of the world from A to B. */
static MPI_Group group_from(int a, int b)
{
    MPI_Group all, group;
    MPI_Comm_group(WORLD, &all);
    MPI_Group_range_incl(all, 1, (int[][3]){{a, b, 1}}, &group);
    return group;
}

COLLECTIVE(dup, MPI_Comm_dup(it.comm, &made))
COLLECTIVE(idup, MPI_Comm_idup(it.comm, &made, next_request()))
COLLECTIVE(dup_with_info, MPI_Comm_dup_with_info(it.comm, MPI_INFO_NULL, &made))
COLLECTIVE(split, MPI_Comm_split(it.comm, it.a, rank, &made))
COLLECTIVE(split_type, MPI_Comm_split_type(it.comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &made))
COLLECTIVE(create, MPI_Comm_create(it.comm, group_from(it.a, it.b), &made))
COLLECTIVE(create_group, MPI_Comm_create_group(it.comm, group_from(it.a, it.b), it.c, &made))
COLLECTIVE(cart_create, MPI_Cart_create(it.comm, 1, &size, (int[]){0}, 0, &made))
COLLECTIVE(cart_sub, MPI_Cart_sub(ring_comm, (int[]){1}, &made))
COLLECTIVE(graph_create, MPI_Graph_create(it.comm, 2, (int[]){1, 2}, (int[]){1, 0}, 0, &made))
static const int first_one = 1;
COLLECTIVE(dist_graph_create, MPI_Dist_graph_create(it.comm, 1, &rank, &first_one, (int[]){0}, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made))
COLLECTIVE(dist_graph_create_adjacent, MPI_Dist_graph_create_adjacent(it.comm, 1, &rank, MPI_UNWEIGHTED, 1, &rank, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made))
COLLECTIVE(intercomm_create, MPI_Intercomm_create(half_comm, 0, WORLD, rank < 2 ? 2 : 0, it.a, &made))
COLLECTIVE(intercomm_merge, MPI_Intercomm_merge(inter_comm, rank < 2, &made))
COLLECTIVE(free, MPI_Comm_free(&a_comm))
COLLECTIVE(disconnect, MPI_Comm_disconnect(&a_comm))
COLLECTIVE(spawn, MPI_Comm_spawn("/bin/true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, it.comm, &made, MPI_ERRCODES_IGNORE))
static char port[MPI_MAX_PORT_NAME];
/* A port of rank 0, at which nobody accepts connections. */
static void step_open_port(struct arguments it)
{
    if (rank == 0) MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, sizeof port, MPI_CHAR, 0, it.comm);
}
COLLECTIVE(connect, MPI_Comm_connect(port, MPI_INFO_NULL, 0, it.comm, &made))
COLLECTIVE(accept, MPI_Open_port(MPI_INFO_NULL, port); MPI_Comm_accept(port, MPI_INFO_NULL, 0, it.comm, &made))

static MPI_Win made_win;
static void *memory;
COLLECTIVE(win_create, MPI_Win_create(four, 4, 4, MPI_INFO_NULL, it.comm, &made_win))
COLLECTIVE(win_dynamic, MPI_Win_create_dynamic(MPI_INFO_NULL, it.comm, &made_win))
COLLECTIVE(win_allocate, MPI_Win_allocate(64, 4, MPI_INFO_NULL, it.comm, &memory, &made_win))
COLLECTIVE(win_shared, MPI_Win_allocate_shared(64, 4, MPI_INFO_NULL, it.comm, &memory, &made_win))
COLLECTIVE(win_free, MPI_Win_free(&win))
COLLECTIVE(fence, MPI_Win_fence(0, win))
/* TARGET */
COLLECTIVE(lock, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, it.a, 0, win))
COLLECTIVE(lock_shared, MPI_Win_lock(MPI_LOCK_SHARED, it.a, 0, win))
COLLECTIVE(unlock, MPI_Win_unlock(it.a, win))
COLLECTIVE(lock_all, MPI_Win_lock_all(0, win))
COLLECTIVE(unlock_all, MPI_Win_unlock_all(win))
COLLECTIVE(flush, MPI_Win_flush(it.a, win))
COLLECTIVE(put, MPI_Put(&one, 1, MPI_INT, it.a, 0, 1, MPI_INT, win))
COLLECTIVE(get, MPI_Get(&one, 1, MPI_INT, it.a, 0, 1, MPI_INT, win))
COLLECTIVE(accumulate, MPI_Accumulate(&one, 1, MPI_INT, it.a, 0, 1, MPI_INT, MPI_SUM, win))
COLLECTIVE(rput, MPI_Rput(&one, 1, MPI_INT, it.a, 0, 1, MPI_INT, win, next_request()))
/* FIRST LAST */
COLLECTIVE(access, MPI_Win_start(group_from(it.a, it.b), 0, win))
COLLECTIVE(complete, MPI_Win_complete(win))
COLLECTIVE(post, MPI_Win_post(group_from(it.a, it.b), 0, win))
COLLECTIVE(win_wait, MPI_Win_wait(win))
static void step_win_test(struct arguments it)
{
    int is_complete = 0;
    (void)it;
    while (!is_complete) MPI_Win_test(win, &is_complete);
}

COLLECTIVE(file_open, MPI_File_open(it.comm, file_name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file))
COLLECTIVE(file_close, MPI_File_close(&file))
COLLECTIVE(file_set_view, MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL))
COLLECTIVE(file_set_size, MPI_File_set_size(file, 4096))
COLLECTIVE(file_preallocate, MPI_File_preallocate(file, 4096))
COLLECTIVE(file_set_atomicity, MPI_File_set_atomicity(file, 1))
COLLECTIVE(file_sync, MPI_File_sync(file))
COLLECTIVE(file_write_all, MPI_File_write_all(file, big, count, MPI_INT, IGNORE))
COLLECTIVE(file_read_all, MPI_File_read_all(file, big, count, MPI_INT, IGNORE))
COLLECTIVE(file_iread_all, MPI_File_iread_all(file, big, count, MPI_INT, next_request()))
COLLECTIVE(file_write_at_all, MPI_File_write_at_all(file, 4 * rank, big, count, MPI_INT, IGNORE))
COLLECTIVE(file_read_at_all, MPI_File_read_at_all(file, 4 * rank, big, count, MPI_INT, IGNORE))
COLLECTIVE(file_write_ordered, MPI_File_write_ordered(file, big, count, MPI_INT, IGNORE))
COLLECTIVE(file_read_ordered, MPI_File_read_ordered(file, big, count, MPI_INT, IGNORE))
COLLECTIVE(file_seek_shared, MPI_File_seek_shared(file, 0, MPI_SEEK_SET))
COLLECTIVE(file_write_all_split, MPI_File_write_all_begin(file, big, count, MPI_INT); MPI_File_write_all_end(file, big, IGNORE))

static const struct step_call object_calls[] = {
    STEP(dup), STEP(idup), STEP(dup_with_info), STEP(split), STEP(split_type), STEP(create), STEP(create_group),
    STEP(cart_create), STEP(cart_sub), STEP(graph_create), STEP(dist_graph_create), STEP(dist_graph_create_adjacent),
    STEP(intercomm_create), STEP(intercomm_merge), STEP(free), STEP(disconnect), STEP(spawn), STEP(open_port), STEP(connect), STEP(accept),
    STEP(win_create), STEP(win_dynamic), STEP(win_allocate), STEP(win_shared), STEP(win_free), STEP(fence), STEP(lock),
    STEP(lock_shared), STEP(unlock), STEP(lock_all), STEP(unlock_all), STEP(flush), STEP(put), STEP(get),
    STEP(accumulate), STEP(rput), STEP(access), STEP(complete), STEP(post), STEP(win_wait), STEP(win_test), STEP(file_open),
    STEP(file_close), STEP(file_set_view), STEP(file_set_size), STEP(file_preallocate), STEP(file_set_atomicity),
    STEP(file_sync), STEP(file_write_all), STEP(file_read_all), STEP(file_iread_all), STEP(file_write_at_all), STEP(file_read_at_all),
    STEP(file_write_ordered), STEP(file_read_ordered), STEP(file_seek_shared), STEP(file_write_all_split), {NULL, NULL},
};
