      ProGram   ugly;use MPI ; implicit none
integer::a,b,c;integer ierr,  if,call, end_,type !? a=comm, b=comm, c=group, if=none, call=none, type=datatype
 if=3;call=4 ; if(if==3)call=5
   cAlL    MpI_CoMm_DuP   (   a   ,   &

    ! a comment between

        b  ,  ierr   ) ; CALL&
   & MPI_COMM_GROUP(b,c,ierr)
 outer : do if = 1,3 ; if (if==2) exit outer ; end do outer
10 type=MPI_REAL
 select case(if) ; case(1) ; call=1 ; end select
 end
