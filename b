rank,name,class,object,index,value,time
