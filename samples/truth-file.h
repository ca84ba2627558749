/* truth-file.h - what MPI itself and the program tell about an MPI_File; see truth.h. */
#ifndef TRUTH_FILE_H
#define TRUTH_FILE_H

#include "truth-refs.h"

static void truth_add_amode(int amode)
{
    static const struct {
        int bit;
        const char *name;
    } modes[] = {
        {MPI_MODE_CREATE, "MPI_MODE_CREATE"},
        {MPI_MODE_RDONLY, "MPI_MODE_RDONLY"},
        {MPI_MODE_WRONLY, "MPI_MODE_WRONLY"},
        {MPI_MODE_RDWR, "MPI_MODE_RDWR"},
        {MPI_MODE_DELETE_ON_CLOSE, "MPI_MODE_DELETE_ON_CLOSE"},
        {MPI_MODE_UNIQUE_OPEN, "MPI_MODE_UNIQUE_OPEN"},
        {MPI_MODE_EXCL, "MPI_MODE_EXCL"},
        {MPI_MODE_APPEND, "MPI_MODE_APPEND"},
        {MPI_MODE_SEQUENTIAL, "MPI_MODE_SEQUENTIAL"},
    };
    const char *separator = "";
    truth_add(",\"amode\":[");
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if ((amode & modes[i].bit) != 0) {
            truth_add("%s\"%s\"", separator, modes[i].name);
            separator = ",";
        }
    }
    truth_add("]");
}

/* MPI hands out a duplicate of a derived type: its name alone is told, and only if it is a predefined one. */
static void truth_add_view_type(const char *field, MPI_Datatype type)
{
    int integers, addresses, datatypes, combiner;
    MPI_Type_get_envelope(type, &integers, &addresses, &datatypes, &combiner);
    if (combiner == MPI_COMBINER_NAMED) {
        truth_add_datatype_ref(field, type);
    } else {
        truth_add(",\"%s\":{\"kind\":\"datatype\"}", field);
        MPI_Type_free(&type);
    }
}

/* The name and the communicator are what the program passed to MPI_File_open. */
__attribute__((unused)) static void truth_file(const char *expression, MPI_File file, const char *filename, MPI_Comm comm)
{
    if (!truth_is_wanted)
        return;
    truth_begin_line(NULL, expression);
    truth_add(",\"kind\":\"file\",\"info\":{\"handle\":\"0x%lx\",\"fortranHandle\":%d", TRUTH_FILE(file), (int)MPI_File_c2f(file));
    if (file == MPI_FILE_NULL) {
        truth_add(",\"name\":\"MPI_FILE_NULL\",\"flags\":[\"predefined\",\"fileNull\"]}}");
        truth_print();
        return;
    }
    int amode, is_atomic, size;
    MPI_Offset displacement, position;
    MPI_Datatype etype, filetype;
    char representation[MPI_MAX_DATAREP_STRING];
    MPI_Errhandler handler;
    MPI_Group group;
    MPI_File_get_amode(file, &amode);
    MPI_File_get_atomicity(file, &is_atomic);
    MPI_File_get_group(file, &group);
    MPI_Group_size(group, &size);
    MPI_Group_free(&group);
    MPI_File_get_view(file, &displacement, &etype, &filetype, representation);
    if ((amode & MPI_MODE_SEQUENTIAL) == 0)
        MPI_File_get_position(file, &position);
    MPI_File_get_errhandler(file, &handler);

    truth_add(",\"name\":\"\",\"flags\":[%s],\"filename\":", is_atomic ? "\"atomic\"" : "");
    truth_add_string(filename);
    truth_add_amode(amode);
    truth_add_comm_ref("comm", comm);
    truth_add(",\"size\":%d", size);
    truth_add_errhandler_ref(handler);
    truth_add(",\"view\":{\"disp\":%ld", (long)displacement);
    truth_add_view_type("etype", etype);
    truth_add_view_type("filetype", filetype);
    if ((amode & MPI_MODE_SEQUENTIAL) == 0)
        truth_add(",\"position\":%ld", (long)position);
    truth_add("}}}");
    truth_print();
}

#endif
