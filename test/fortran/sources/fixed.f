C     Fixed form: columns, labels, comments, implicit typing, COMMON, sequence numbers, tabs, INCLUDE.
      PROGRAM FIXED
      INCLUDE 'mpif.h'
      INTEGER MYCOMM, IERR, REQ(2), STAT(MPI_STATUS_SIZE,2)             00010030
c?    mycomm=comm, req=request, stat=status, ierr=none
      COMMON /PAR/ MYCOMM, NPROCS, IGRP
      CHARACTER*40 LINE
      REAL*8 X(10)
      CALL MPI_INIT(IERR)
      MYCOMM = MPI_COMM_WORLD
      CALL MPI_COMM_SIZE(MYCOMM, NPROCS, IERR)
*     An apostrophe in a comment doesn't open a string.
      LINE = 'it''s ! no comment; CALL MPI_COMM_FREE(NPROCS,IERR)'
      CALL MPI_ISEND(X, 10, MPI_DOUBLE_PRECISION, 0, 1,
     &     MYCOMM, REQ(1), IERR)
      CALL MPI_IRECV(X, 10, MPI_DOUBLE_PRECISION, 0, 1, MYC
     1OMM, REQ(2), IERR)
      CALL MPI_WAITALL(2, REQ, STAT, IERR)
      CALL SUBGRP
  100 IF (NPROCS .GT. 1) CALL MPI_COMM_DUP(MYCOMM, ICOPY, IERR)
!?    icopy=comm, nprocs=none
      IF (ICOPY.EQ.MPI_COMM_NULL) GO TO 100
      END
      SUBROUTINE SUBGRP
      INCLUDE 'mpif.h'
C     The same places of the common block under other names.
      COMMON /PAR/ ICOM, NP, IG
!?    icom=comm, ig=group, np=none
      CALL MPI_COMM_GROUP(ICOM, IG, IERR)
	CALL MPI_TYPE_CONTIGUOUS(3, MPI_REAL, ITYPE, IERR)
!?    itype=datatype
      CALL MPI_ERRHANDLER_CREATE(HANDLR, IEH, IERR)
!?    ieh=errhandler
      RETURN
      END
      INTEGER FUNCTION NEWCOM(IOLD)
      INCLUDE 'mpif.h'
!?    iold=comm, newcom=comm
      CALL MPI_COMM_DUP(IOLD, NEWCOM, IERR)
      END
